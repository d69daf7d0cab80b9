import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { StoredAgent } from "../base/stored-agent.ts";

/**
 * Stores agents as the application gives them, public ones too. Those that are stored stay as they are. Later
 * ones of the list count as changed later.
 */
export async function storeAgents(db: Database, agents: readonly StoredAgent[]): Promise<void> {
  const slots = new Map<string, number>();
  for (const [at, agent] of agents.entries()) {
    const { id, workspaceId, owner, sharedWith, name, description, instructions, sources = [] } = agent;
    const whose = JSON.stringify([workspaceId, owner]);
    const slot = (slots.get(whose) ?? 0) + 1;
    slots.set(whose, slot);
    await ask(
      db,
      `INSERT INTO enterprise_search.custom_agent
         (id, workspace, owner, slot, shared, people, name, description, instructions, sources, updated_at)
       VALUES ($1, $2, $3, $4::text::integer, $5, $6::text::text[], $7, $8, $9, $10::text::text[],
         now() - make_interval(secs => $11::text::float8))
       ON CONFLICT DO NOTHING`,
      [
        ...[id, workspaceId, owner, String(slot)],
        ...(typeof sharedWith === "string" ? [sharedWith, "{}"] : ["people", arrayText(sharedWith)]),
        ...[name, description, instructions, arrayText(sources), String((agents.length - at) / 1_000)],
      ],
    );
  }
}
