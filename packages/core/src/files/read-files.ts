import { PawlError } from "../base/errors.ts";
import { type Folders, foldersOf, isFileId } from "./hashed-files.ts";
import { LARGEST_UPLOAD } from "./inspect-file.ts";
import type { UserFileParts } from "./user-file-parts.ts";
import type { OpenFile, OwnUserFiles } from "./user-files.ts";

/** Makes the functions that read users' files. */
export function readFiles({
  kept,
  work,
}: UserFileParts): Pick<OwnUserFiles, "describe" | "get" | "open" | "read"> {
  const open = async (userId: string, id: string, signal?: AbortSignal): Promise<OpenFile> => {
    const folders = await knownFolders(userId, id);
    const facts = await kept.facts(folders, id);
    const place = await work.enter({ userId, bytes: facts?.bytes ?? LARGEST_UPLOAD, signal });
    try {
      const content = found(await kept.read(folders, id));
      const file = facts === undefined ? await work.inspect(content, id) : { id, ...facts };
      place.holds(content.length);
      place.rest();
      return { ...file, content, close: () => place.leave() };
    } catch (error) {
      place.leave();
      throw error;
    }
  };
  return {
    open: async (userId, id, { signal } = {}) => await open(userId, id, signal),
    get: async (userId, id) => {
      const { close, ...file } = await open(userId, id);
      close();
      return file;
    },
    describe: async (userId, id) => {
      const facts = await kept.facts(await knownFolders(userId, id), id);
      if (facts !== undefined) return { id, ...facts };
      const { content: _, close, ...file } = await open(userId, id);
      close();
      return file;
    },
    read: async (userId, { id, bytes }, signal) => {
      const folders = await foldersOf(userId);
      return await work.within({ userId, bytes, signal, isOfRun: true }, () => kept.read(folders, id));
    },
  };
}

/** @throws PawlError `not_found` for an id that no file has. */
async function knownFolders(userId: string, id: string): Promise<Folders> {
  return found(isFileId(id) ? await foldersOf(userId) : undefined);
}

function found<T>(wanted: T | undefined): T {
  if (wanted === undefined) throw new PawlError("not_found", "There is no such file.");
  return wanted;
}
