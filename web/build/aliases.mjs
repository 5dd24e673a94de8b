/** Names that the sources import without saying where they are built. tsconfig.json says the same to the type checker. */
import { fileURLToPath } from "node:url";

export const alias = {
  "sqrtdk-engine": fileURLToPath(new URL("../../build/generated/engine.js", import.meta.url)),
};
