import { existsSync } from "node:fs";
import { join } from "node:path";

/** Throws if the page is not built. Tests of the page load it from `dist`. */
export function checkPageIsBuilt(): void {
  const built = join(import.meta.dirname, "..", "..", "dist", "web", "index.html");
  if (!existsSync(built)) throw new Error("The page is not built: npm run build");
}
