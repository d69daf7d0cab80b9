import { PawlError } from "../../base/errors.ts";
import type { Host } from "./host.ts";

/** Returns the error for the name of an agent that the runtime lacks. */
export function noSuchAgent({ agents }: Pick<Host, "agents">, name: string, more = ""): PawlError {
  const known = [...agents.keys()].join(", ");
  return new PawlError("not_found", `The runtime has no agent "${name}". It has: ${known}.${more}`);
}
