import { sha256 } from "../base/sha256.ts";
import { type Folders, foldersOf } from "./hashed-files.ts";
import { LARGEST_UPLOAD } from "./inspect-file.ts";
import { cleanUnsent } from "./unsent-files.ts";
import type { UserFileParts } from "./user-file-parts.ts";
import type { OwnUserFiles } from "./user-files.ts";

/** Makes the functions that delete users' files. */
export function deletedFiles({
  kept,
  work,
  clock,
}: UserFileParts): Pick<OwnUserFiles, "delete" | "deleteUnsent" | "release"> {
  /** Its bytes are read before, because a new message may have the file too. */
  const release = async (userId: string, folders: Folders, session: string, id: string) =>
    await work.within({ userId, bytes: LARGEST_UPLOAD, isOfRun: true }, () =>
      kept.release(folders, session, id),
    );
  return {
    delete: async (userId, { sessionId } = {}) => {
      const folders = await foldersOf(userId);
      const { sent, unsent } = folders;
      const files = await kept.list(sent);
      if (sessionId === undefined) {
        const paths = [...files, ...(await kept.list(unsent))].map(({ path }) => path);
        // The facts of a file before its bytes: where facts are, bytes have to be.
        for (const path of paths.toSorted((a, b) => b.length - a.length)) await kept.delete(path);
        return;
      }
      const session = await sha256(sessionId);
      for (const { path } of files) {
        const [id = "", use] = path.slice(sent.length + 1).split("/");
        if (use === session) await release(userId, folders, session, id);
      }
    },
    deleteUnsent: async (userId) => {
      await cleanUnsent(kept, userId === undefined ? "" : (await foldersOf(userId)).unsent, clock.now());
    },
    release: async (userId, sessionId, ids) => {
      const folders = await foldersOf(userId);
      const session = await sha256(sessionId);
      for (const id of ids) await release(userId, folders, session, id);
    },
  };
}
