import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { checkDatabase } from "../base/check.ts";
import { isAgentId, type StoredAgent } from "../base/stored-agent.ts";
import type { Caller } from "../search/index.ts";
import { type AgentDraft, checkDraft, slugOf } from "./agent-draft.ts";
import { ALL, CREATE, LIST, MOST_OWN, REMOVE, type Row, UNKNOWN, UPDATE } from "./statements.ts";

/** Why an agent was not stored. `problems` has a sentence for each mistake of an `invalid` draft. */
export interface AgentError {
  code: "invalid" | "unknown_people" | "too_many" | "not_found" | "forbidden";
  message: string;
  problems?: string[];
}

/** The outcome of a request. */
export type AgentOutcome<T = StoredAgent> =
  | { status: "ok"; agent: T }
  | { status: "error"; error: AgentError };

/** The agents of a company's people. The application has authenticated the caller of each method. */
export interface AgentStore {
  /** Lists what the caller may use: own agents, public ones, and then the newest shared ones. 100 at most. */
  list(caller: Caller): Promise<StoredAgent[]>;
  /** Makes an agent that the caller owns. */
  create(caller: Caller, draft: AgentDraft): Promise<AgentOutcome>;
  /** Replaces all but the id of an agent that the caller owns. */
  update(caller: Caller, id: string, draft: AgentDraft): Promise<AgentOutcome>;
  /** Deletes an agent that the caller owns. A run that uses it at this moment cannot continue with it. */
  remove(caller: Caller, id: string): Promise<AgentOutcome<{ id: string }>>;
}

/**
 * Opens the agents in a database that {@link storeCompany} has filled. Mistakes are outcomes with the status
 * `error`; methods reject with the driver's error if the database fails.
 *
 * An agent that is not the caller's and one that does not exist have the same outcome, after the same
 * statement.
 *
 * @example
 * ```ts fragment
 * const agents = agentStore(db);
 * const made = await agents.create(caller, {
 *   name: "Contract finder",
 *   description: "Finds contracts and their dates.",
 *   instructions: "Search files for contracts. State the parties and the end of the term.",
 *   sources: ["drive"],
 *   sharedWith: "workspace",
 * });
 * if (made.status === "ok") console.log(made.agent.id); // contract-finder-5b1f0c2e9a47
 * ```
 */
export function agentStore(
  db: Database,
  { newId = () => crypto.randomUUID() }: { /** Returns a random UUID. */ newId?: () => string } = {},
): AgentStore {
  checkDatabase("agentStore()", db);
  const checked = async ({ workspaceId }: Caller, given: unknown) => {
    const found = checkDraft(given);
    if ("problems" in found)
      return refused({ code: "invalid", message: "The agent is not valid.", problems: found.problems });
    const { draft } = found;
    const people = Array.isArray(draft.sharedWith) ? (draft.sharedWith as readonly string[]) : [];
    const strangers = await ask<{ email: string }>(db, UNKNOWN, [workspaceId, arrayText(people)]);
    if (strangers.length === 0) return { status: "ok", draft } as const;
    const names = strangers.map(({ email }) => email).join(", ");
    return refused({
      code: "unknown_people",
      message: `These addresses are not in your workspace: ${names}.`,
    });
  };
  return {
    list: async ({ workspaceId, email }) => (await ask<Row>(db, LIST, [workspaceId, email])).map(agentOf),
    create: async (caller, given) => {
      const found = await checked(caller, given);
      if (found.status === "error") return found;
      const { draft } = found;
      for (let tries = 0; tries <= MOST_OWN; tries += 1) {
        const id = `${slugOf(draft.name)}-${newId().replaceAll("-", "").slice(0, 12)}`;
        const [row] = await ask<Made>(db, CREATE, valuesOf(caller, id, draft));
        if (row === undefined) return refused(FORBIDDEN);
        if (row.slot === null) return refused(TOO_MANY);
        // A concurrent request has taken the number. The next one may be free.
        if (row.id === null) continue;
        return { status: "ok", agent: agentOf(row) };
      }
      return refused(TOO_MANY);
    },
    update: async (caller, id, given) => {
      const found = await checked(caller, given);
      if (found.status === "error") return found;
      const [row] = isAgentId(id) ? await ask<Row>(db, UPDATE, valuesOf(caller, id, found.draft)) : [];
      return row === undefined ? refused(NOT_FOUND) : { status: "ok", agent: agentOf(row) };
    },
    remove: async ({ workspaceId, email }, id) => {
      const [row] = isAgentId(id) ? await ask<{ id: string }>(db, REMOVE, [workspaceId, email, id]) : [];
      return row === undefined ? refused(NOT_FOUND) : { status: "ok", agent: { id: row.id } };
    },
  };
}

/** Reads the agents of all people, for a copy of them. Those that were changed last are at the end. */
export async function agentsOfPeople(db: Database): Promise<StoredAgent[]> {
  return (await ask<Row>(db, ALL)).map(agentOf);
}

type Made = { slot: number | null } & (Row | { id: null });

const FORBIDDEN: AgentError = {
  code: "forbidden",
  message: "You are not in the directory of this workspace.",
};
const NOT_FOUND: AgentError = { code: "not_found", message: "You have made no agent with this id." };
const TOO_MANY: AgentError = {
  code: "too_many",
  message: `You have ${MOST_OWN} agents. Delete one before you make another.`,
};

function refused(error: AgentError): { status: "error"; error: AgentError } {
  return { status: "error", error };
}

function valuesOf(
  { workspaceId, email }: Caller,
  id: string,
  { name, description, instructions, sources = [], sharedWith = [] }: AgentDraft,
): unknown[] {
  const shared = sharedWith === "workspace" ? ["workspace", "{}"] : ["people", arrayText(sharedWith)];
  return [workspaceId, email, id, ...shared, name, description, instructions, arrayText(sources)];
}

function agentOf({ workspace, shared, people, sources, ...row }: Row): StoredAgent {
  const { id, owner, name, description, instructions } = row;
  return {
    ...{ id, workspaceId: workspace, owner, name, description, instructions },
    sharedWith: shared === "people" ? people : shared,
    ...(sources.length > 0 && { sources: sources as NonNullable<StoredAgent["sources"]> }),
  };
}
