import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { StoredAgent } from "../base/stored-agent.ts";

/** Stores agents as the application gives them, public ones too. Those that are stored stay as they are. */
export async function storeAgents(db: Database, agents: readonly StoredAgent[]): Promise<void> {
  const slots = new Map<string, number>();
  for (const {
    id,
    workspaceId,
    owner,
    sharedWith,
    name,
    description,
    instructions,
    sources = [],
  } of agents) {
    const whose = JSON.stringify([workspaceId, owner]);
    const slot = (slots.get(whose) ?? 0) + 1;
    slots.set(whose, slot);
    await ask(
      db,
      `INSERT INTO enterprise_search.custom_agent
         (id, workspace, owner, slot, shared, people, name, description, instructions, sources)
       VALUES ($1, $2, $3, $4::text::integer, $5, $6::text::text[], $7, $8, $9, $10::text::text[])
       ON CONFLICT DO NOTHING`,
      [
        ...[id, workspaceId, owner, String(slot)],
        ...(typeof sharedWith === "string" ? [sharedWith, "{}"] : ["people", arrayText(sharedWith)]),
        ...[name, description, instructions, arrayText(sources)],
      ],
    );
  }
}
