import { at, readJson, workspaces } from "./project.mjs";

/**
 * Returns the packages' doors: what applications can import. `name` is e.g. `@pawl/core/inspect`, `file` the
 * path of its source relative to the root. Throws if an export has no source, so that no door is forgotten.
 *
 * @returns {{ name: string, folder: string, file: string }[]}
 */
export function packageDoors() {
  return workspaces(["packages"]).flatMap((folder) => doorsOf(readJson(at(folder, "package.json")), folder));
}

/**
 * @param {{ name: string, exports: Readonly<Record<string, unknown>> }} manifest
 * @param {string} folder of the package, relative to the root
 */
export function doorsOf({ name, exports }, folder) {
  return Object.entries(exports)
    .filter(([entry]) => entry !== "./package.json")
    .map(([entry, targets]) => {
      const source = targets?.["@pawl/source"];
      if (source === undefined)
        throw new Error(`"${entry}" of ${name} names no "@pawl/source" in its exports`);
      return { name: name + entry.slice(1), folder, file: `${folder}/${source.slice(2)}` };
    });
}
