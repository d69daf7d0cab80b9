import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, cacheDir, readJson } from "./project.mjs";

/** Returns one hash of files, of whole folders (paths relative to the root), and of `extra`. */
export function fingerprint(paths, extra = []) {
  const hash = createHash("sha256").update(JSON.stringify(extra));
  for (const path of paths.flatMap(filesBelow).sort()) {
    hash.update(`\0${path}\0`).update(readFileSync(at(path)));
  }
  return hash.digest("hex");
}

function filesBelow(path) {
  if (!existsSync(at(path))) return [];
  if (!statSync(at(path)).isDirectory()) return [path];
  return readdirSync(at(path))
    .filter((name) => name !== "node_modules")
    .flatMap((name) => filesBelow(`${path}/${name}`));
}

/** Returns the content of the stamp `name`; `undefined` if it does not exist. */
export function readStamp(name) {
  try {
    return readJson(join(cacheDir, `${name}.json`));
  } catch {
    return undefined;
  }
}

export function writeStamp(name, value) {
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(join(cacheDir, `${name}.json`), JSON.stringify(value));
}
