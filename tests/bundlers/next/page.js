import { load } from "sqrtdk";
import { Answers } from "./answers";

/** Rendered on the server: the numbers are in the HTML. */
export default async function Page() {
  const core = await load();
  const { words } = await import("./exercise.js");
  const query = core.randomNormal(48, { seed: 1 });
  return (
    <main>
      <p id="server">{words(core.softmax(query))}</p>
      <Answers />
    </main>
  );
}
