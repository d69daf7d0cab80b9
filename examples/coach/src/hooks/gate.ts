import { type Hook, type PermissionOptions, permissions } from "@pawl/core";
import type { FileType } from "../files/file-type.ts";
import { DEFAULT_TYPE, rulesOf, sessionTypes } from "../sessions/session-types.ts";

/**
 * Denies tools and file types that the session's effective type does not permit. The model sees all five
 * tools in every session, so that the cached beginning of the prompt survives the begin and end of an arc.
 */
export function sessionGate(): Hook {
  const allow = Object.fromEntries(Object.entries(sessionTypes).map(([type, { tools }]) => [type, tools]));
  const known = permissions({ allow, otherwise: rulesOf("").tools, check: mayWrite });
  const untyped = permissions({ allow: {}, otherwise: rulesOf(undefined).tools, check: mayWrite });
  return {
    name: "session-gate",
    beforeTool: (call, context) => (context.type === undefined ? untyped : known).beforeTool?.(call, context),
  };
}

const mayWrite: PermissionOptions["check"] & {} = ({ tool, input }, { type }) => {
  if (tool.name !== "save_file") return undefined;
  const { file_type } = input as { file_type: FileType };
  const { writes } = rulesOf(type);
  if (writes.includes(file_type)) return undefined;
  const { title } = rulesOf(type);
  return `"${title}" (${type ?? DEFAULT_TYPE}) may not write a "${file_type}". It may write: ${writes.join(", ")}.`;
};
