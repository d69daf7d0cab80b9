import { posix } from "node:path";
import { FLOORS } from "./floors.mjs";

/** Source folders whose tests are in rooms of the same names, in the folder `test` beside them. */
const MIRRORED = ["packages/core/src"];

/**
 * Finds tests outside of a room. A test is in the room of the code that it proves; code that tests share is
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
