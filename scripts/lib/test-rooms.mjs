import { posix } from "node:path";
import { FLOORS } from "./rooms.mjs";

/** Sources whose tests are in the same rooms, in the `test` folder beside them. */
const MIRRORED = ["packages/core/src"];

/**
 * Finds tests outside of the rooms. Each test belongs to the room of what it proves. Code that tests share is
 * in `support`.
 *
 * @param {Iterable<string>} paths relative to the root of the project
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findLooseTests(paths, floors = FLOORS, mirrored = MIRRORED) {
  const homes = mirrored.map((sources) => ({
    folder: posix.join(sources, "../test"),
    rooms: new Set(floors[sources].flat().filter((room) => room !== ".")),
  }));
  const isLoose = (file) =>
    homes.some(({ folder, rooms }) => {
      if (!file.startsWith(`${folder}/`)) return false;
      const room = posix.dirname(file.slice(folder.length + 1));
      return !rooms.has(room) && room.split("/")[0] !== "support";
    });
  const message = "lies in no room: move it to the room of what it proves, or to support/ if tests share it";
  return [...paths].filter(isLoose).map((file) => ({ file, line: 1, message }));
}
