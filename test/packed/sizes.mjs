import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/lib/project.mjs";
import { BUNDLES, bundle } from "./bundle.mjs";
import { findWrongSizes } from "./size-rules.mjs";

/** Checks how large the tarballs are, `{ name: path }`, and that the README's table of bundles is true. */
export async function checkSizes(tarballs) {
  const packed = Object.entries(tarballs).map(([name, path]) => [name, statSync(path).size]);
  const bundles = [];
  for (const [label, code] of Object.entries(BUNDLES)) bundles.push([label, (await bundle(code)).start]);
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const problems = findWrongSizes(Object.fromEntries(packed), Object.fromEntries(bundles), readme);
  return { ok: problems.length === 0, output: problems.map((problem) => `${problem}\n`).join("") };
}
