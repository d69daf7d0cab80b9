import { toBase64 } from "../../base/base64.ts";
import { filesInBlocks } from "../../context/file-blocks.ts";
import { type FilledMessages, type ReadForModel, withFileBytes } from "../../context/file-bytes.ts";
import type { OwnUserFiles } from "../../files/user-files.ts";
import type { FileReference } from "../../log/event-parts.ts";
import type { Session } from "../../log/session-row.ts";
import type { LegFiles } from "../../loop/leg/leg-files.ts";
import type { Host } from "../leg/host.ts";
import { rootOf } from "../leg/task-session.ts";
import { withShortResult } from "./short-result.ts";
import { withReferences } from "./with-references.ts";

/** Makes a leg's access to the files of its session's user. Without a file store, the log has the bytes. */
export function makeLegFiles(
  host: Pick<Host, "files" | "store" | "report" | "newId">,
  session: Session,
): LegFiles {
  const { files } = host;
  const known: FilledMessages = new WeakMap();
  /** The contents of the last request's files, by file id, so that each turn reads only new files. */
  let ofLastRequest = new Map<string, Promise<string | undefined>>();
  return {
    keep: async (event, leg) => {
      if (files === undefined || event.type !== "tool_result" || !Array.isArray(event.data.content))
        return withShortResult(event, leg);
      const { userId } = session;
      const isOfRun = true;
      const { kept, data } = await withReferences(event.data, (base64) =>
        files.inspect(userId, base64, { isOfRun }),
      );
      try {
        if (kept.length > 0) await files.keep(userId, await rootOf(host.store, session), kept, { isOfRun });
        return withShortResult({ ...event, data }, leg);
      } catch (error) {
        // The tool has run, so its result must be stored: with the bytes, as without a file store.
        host.report(error);
        return withShortResult(event, leg);
      }
    },
    fill: async (request, model, { signal }) => {
      if (!request.messages.some(({ content }) => filesInBlocks(content).length > 0)) return request;
      const before = ofLastRequest;
      const now = new Map<string, Promise<string | undefined>>();
      const read: ReadForModel = async (file) => {
        const content =
          now.get(file.id) ?? before.get(file.id) ?? readForModel(files, session.userId, file, signal);
        now.set(file.id, content);
        return await content;
      };
      const filled = await withFileBytes(request, model, read, known);
      if (now.size > 0) ofLastRequest = now;
      return filled;
    },
  };
}

/** Reads a file as the model gets it: a text as it is, other files as base64. */
async function readForModel(
  files: OwnUserFiles | undefined,
  userId: string,
  file: FileReference,
  signal: AbortSignal,
): Promise<string | undefined> {
  const content = await files?.read(userId, file, signal);
  if (content === undefined) return undefined;
  return file.media_type === "text/plain" ? new TextDecoder().decode(content) : toBase64(content);
}
