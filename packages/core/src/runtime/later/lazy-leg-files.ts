import { haveFiles } from "../../context/file-blocks.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { LegFiles } from "../../loop/leg/leg-files.ts";
import type { ModelRequest } from "../../model/model-client.ts";
import type { Host } from "../leg/host.ts";

/**
 * Makes a leg's access to files like `makeLegFiles()`, but loads its code when it is first needed: for a
 * result or request with files, or for a result that has to be clipped.
 */
export function lazyLegFiles(
  host: Pick<Host, "files" | "store" | "report" | "newId">,
  session: Session,
  load: () => Promise<Pick<typeof import("./index.ts"), "makeLegFiles">> = () => import("./index.ts"),
): LegFiles {
  // Keeps the result and not the promise of the import, so that a failed import is tried again.
  let made: LegFiles | undefined;
  const loaded = async () => {
    const { makeLegFiles } = await load();
    made ??= makeLegFiles(host, session);
    return made;
  };
  const fillLater = async (...args: Parameters<LegFiles["fill"]>) =>
    await (made ?? (await loaded())).fill(...args);
  return {
    keep: async (event, leg) => {
      const hasNoFiles = host.files === undefined || !mayHaveFiles(event);
      if (hasNoFiles && !isLong(event, leg.run.agent.storedResultLimit)) return event;
      let files: LegFiles;
      try {
        files = made ?? (await loaded());
      } catch (error) {
        // The tool has run, so its result must be stored: with the bytes, as without a file store.
        host.report(error);
        return event;
      }
      return await files.keep(event, leg);
    },
    fill: (request, model, life) => (hasFiles(request) ? fillLater(request, model, life) : request),
  };
}

/** Returns whether a result is longer than `limit`, in characters of JSON. */
function isLong({ type, data }: NewEvent, limit: number): boolean {
  return type === "tool_result" && JSON.stringify([data.result, data.report]).length > limit;
}

/** Returns whether a tool result has pictures or documents, which may have to be stored as files. */
function mayHaveFiles(event: NewEvent): boolean {
  if (event.type !== "tool_result" || !Array.isArray(event.data.content)) return false;
  return event.data.content.some(({ type }) => type === "image" || type === "document");
}

/** Returns whether a request refers to files. Only user messages do, see `withFileBytes`. */
function hasFiles({ messages }: ModelRequest): boolean {
  return messages.some(({ role, content }) => role === "user" && haveFiles(content));
}
