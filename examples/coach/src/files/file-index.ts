import type { FileStore } from "@pawl/core";
import { isDay } from "../base/day.ts";
import { type FilePlace, type FileType, filePlaces, ownPlaces } from "./file-type.ts";

/** A file of a user, with the facts that its path gives. */
export interface IndexedFile {
  path: string;
  type: FileType | keyof typeof ownPlaces;
  /** The file name without its extension. */
  name: string;
  /** The day at the start of its name, `YYYY-MM-DD`. */
  day?: string;
  /** The size in bytes. */
  size: number;
  /** ISO 8601. */
  modifiedAt: string;
}

const places = Object.entries({ ...filePlaces, ...ownPlaces }) as [IndexedFile["type"], FilePlace][];

/**
 * Lists a user's files, or those of one folder, sorted by path. Leaves out files outside of the coach's
 * folders.
 *
 * @example
 * ```ts
 * import { memoryFiles } from "@pawl/core";
 * import { fileIndex } from "@pawl/example-coach";
 *
 * const files = memoryFiles();
 * await files.put("check-ins/2026-11-14.md", "A quiet week.");
 * console.log(await fileIndex(files)); // [ { type: "check-in", day: "2026-11-14", … } ]
 * ```
 */
export async function fileIndex(files: FileStore, folder = ""): Promise<IndexedFile[]> {
  const found = await files.list(folder);
  return found.flatMap(({ path, size, modifiedAt }): IndexedFile[] => {
    const [, where = "", name = ""] = /^([^/]+)\/([^/]+)\.md$/.exec(path) ?? [];
    const place = places.find(
      ([, { folder, name: kind }]) => folder === where && (!isFixed(kind) || kind === name),
    );
    if (place === undefined) return [];
    const day = name.slice(0, 10);
    return [{ path, type: place[0], name, ...(isDay(day) && { day }), size, modifiedAt }];
  });
}

/**
 * Lists the files of some folders. This is much faster than listing all files of a user who has files for
 * every day of a year.
 */
export async function indexOf(files: FileStore, folders: readonly string[]): Promise<IndexedFile[]> {
  return (await Promise.all(folders.map((folder) => fileIndex(files, folder)))).flat();
}

/** Returns the newest `count` files whose names begin with a day, newest first. */
export function newest(index: readonly IndexedFile[], count: number): IndexedFile[] {
  return index
    .filter(({ day }) => day !== undefined)
    .sort((a, b) => (a.name < b.name ? 1 : -1))
    .slice(0, count);
}

function isFixed(kind: FilePlace["name"]): boolean {
  return !["day", "call", "title"].includes(kind);
}
