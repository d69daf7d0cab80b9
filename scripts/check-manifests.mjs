import { existsSync, readFileSync } from "node:fs";
import { findUnpublishable } from "./lib/manifests.mjs";
import { at, readJson, workspaces } from "./lib/project.mjs";

// Checks that every package has the metadata, files and links that npm shows.
const folders = workspaces(["packages"]);
const license = readFileSync(at("LICENSE"), "utf8");
const problems = folders.flatMap((folder) => {
  const names = ["README.md", "CHANGELOG.md", "LICENSE"].filter((name) => existsSync(at(folder, name)));
  const texts = new Map(names.map((name) => [name, readFileSync(at(folder, name), "utf8")]));
  return findUnpublishable(folder, readJson(at(folder, "package.json")), texts, license);
});
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${folders.length} packages, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
