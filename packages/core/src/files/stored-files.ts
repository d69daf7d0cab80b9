import { PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import { arrivingBytes, inputBytes, inputLength, isInPieces, joinedBytes } from "./given-bytes.ts";
import { type Folders, foldersOf, isFileId, type UserFileParts } from "./hashed-files.ts";
import { LARGEST_UPLOAD, refusedFile } from "./inspect-file.ts";
import { checkUnsent, cleanUnsent } from "./unsent-files.ts";
import type { FileToKeep, OpenFile, OwnUserFiles, UserFile } from "./user-files.ts";

/** Makes the functions that store users' files. */
export function storedFiles({
  kept,
  work,
  clock,
}: UserFileParts): Pick<OwnUserFiles, "put" | "inspect" | "keep" | "use"> {
  const upload = async (userId: string, content: Uint8Array<ArrayBuffer>): Promise<UserFile> => {
    const file = await work.inspect(content);
    const { id, ...facts } = file;
    const { unsent } = await foldersOf(userId);
    const uploads = await cleanUnsent(kept, unsent, clock.now());
    const others = uploads.filter(({ path }) => path !== `${unsent}/${id}`);
    checkUnsent(others, content.length);
    await kept.put(unsent, id, content, facts);
    return file;
  };
  const keepOne = async (userId: string, folders: Folders, file: FileToKeep, isOfRun: boolean) => {
    const { content, id, ...facts } = file;
    // This session's use is stored already, so a file that exists now will not be deleted.
    if (content === undefined && (await kept.factsAt(folders.sent, id)) !== undefined) return;
    await work.within({ userId, bytes: file.bytes, isOfRun }, async () => {
      const bytes = content ?? (await kept.read(folders, id));
      if (bytes === undefined) throw refusedFile("A file of the message does not exist. Upload it again.");
      await kept.put(folders.sent, id, bytes, facts);
    });
  };
  return {
    put: async (userId, input, { bytes = LARGEST_UPLOAD, signal } = {}) => {
      if (!isInPieces(input))
        return await work.within({ userId, bytes: inputLength(input), signal }, async () =>
          upload(userId, await inputBytes(input)),
        );
      // The client sets the pace. Until the last piece, the upload only holds room for its bytes.
      const room = Math.min(bytes, LARGEST_UPLOAD);
      const place = await work.hold({ userId, bytes: room, signal });
      const arriving = arrivingBytes({ place, bytes: room, clock, signal });
      try {
        const content = await joinedBytes(input, arriving.arrived);
        arriving.end();
        place.holds(content.length);
        await place.begin(signal);
        return await upload(userId, content);
      } finally {
        arriving.end();
        place.leave();
      }
    },
    inspect: async (userId, input, { whose, isOfRun = false } = {}) =>
      await work.within({ userId, bytes: inputLength(input, whose), isOfRun }, async () => {
        const content = await inputBytes(input, whose);
        return { ...(await work.inspect(content)), content };
      }),
    keep: async (userId, sessionId, files, { isOfRun = false } = {}) => {
      const folders = await foldersOf(userId);
      const session = await sha256(sessionId);
      for (const file of files) {
        await kept.use(folders.sent, session, file.id);
        await keepOne(userId, folders, file, isOfRun);
      }
      for (const { id, content } of files) if (content === undefined) await kept.remove(folders.unsent, id);
    },
    use: async (userId, sessionId, ids) => {
      const { sent } = await foldersOf(userId);
      const session = await sha256(sessionId);
      for (const id of ids) await kept.use(sent, session, id);
    },
  };
}

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
      const content = existing(await kept.read(folders, id));
      const file = facts === undefined ? await work.inspect(content, id) : { id, ...facts };
      // The bytes stay in use until `close()`, but the work on them is over.
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

/** Returns the folders of a user. @throws PawlError `not_found` if the id cannot be that of a file. */
async function knownFolders(userId: string, id: string): Promise<Folders> {
  return existing(isFileId(id) ? await foldersOf(userId) : undefined);
}

/** Returns the value. @throws PawlError `not_found` for `undefined`. */
function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new PawlError("not_found", "There is no such file.");
  return value;
}
