/** `npm run layout`: makes the reference pictures of layout again. Look at what has changed before you commit them. */
import { figureNames } from "../../../web/state/fields.ts";
import { servePage } from "../served-page.ts";
import { pictureOf, writeReference } from "./pictures.ts";
import { openFigure, openLesson, parts, schemes, type View, widths } from "./views.ts";

const served = await servePage();
const { page: lab } = await served.open();

async function write(view: View, selectors: Readonly<Record<string, string>>): Promise<void> {
  for (const width of widths) {
    for (const scheme of schemes) {
      await view.turn(width, scheme);
      for (const [name, selector] of Object.entries(selectors)) {
        const png = await view.page.locator(selector).first().screenshot({ animations: "disabled" });
        await writeReference(`${name}-${width}-${scheme}`, await pictureOf(lab, png));
      }
    }
  }
}

await write(await openLesson(served), parts);
await Promise.all(
  figureNames.map(async (name) => write(await openFigure(served, name), { [name]: `sqrtdk-${name}` })),
);
await served.close();
