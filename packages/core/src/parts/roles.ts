import type { Agent, AgentRole } from "../agent/agent.ts";
import { ROLE_TAG, transferTo } from "../agent/roles.ts";
import { ownTagsAt } from "../context/own-tags.ts";
import { userEntry } from "../context/project.ts";
import type { TurnPlan } from "../hooks/turn-plan.ts";
import type { StoredEvent } from "../log/event.ts";
import { effectiveType } from "../loop/leg/effective-type.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { ContentBlock } from "../model/content.ts";
import type { SessionState } from "../session/state.ts";

/**
 * Returns the plan of a turn with the model and the tools of the current role. Appends the role's
 * instructions, unless they are the last ones that the model reads.
 */
export async function planOfRole(leg: Leg, plan: TurnPlan): Promise<TurnPlan> {
  const { agent } = leg.run;
  const name = effectiveType(leg) ?? "";
  const { instructions, model = plan.model } = roleOf(agent, name);
  const text = leg.access.hide(
    `You now have the role "${name}", until another note gives you a new one.\n\n${instructions}`,
  );
  if (!isLastRead(leg.log.state, text))
    await leg.log.holdDecision([{ type: "note", data: { text, tag: ROLE_TAG } }]);
  return { ...plan, model, tools: toolsInRole(agent, name) };
}

/** Returns the names of the tools that may run in a role: its own, and those that no role has. */
export function toolsInRole(agent: Pick<Agent, "roles" | "tools">, name: string): string[] {
  const namesOf = ({ tools = [], to = [] }: AgentRole) => [
    ...tools.map((tool) => tool.name),
    ...to.map(transferTo),
  ];
  const ofOthers = new Set(Object.values(agent.roles ?? {}).flatMap(namesOf));
  for (const own of namesOf(roleOf(agent, name))) ofOthers.delete(own);
  return [...agent.tools.keys()].filter((tool) => !ofOthers.has(tool));
}

function roleOf({ roles = {} }: Pick<Agent, "roles">, name: string): AgentRole {
  return new Map(Object.entries(roles)).get(name) as AgentRole;
}

/** Returns whether a text is the newest note of a role in the context, so that the model follows it. */
// A checkpoint may have removed the note, and a deploy may have changed its text.
function isLastRead(state: SessionState, text: string): boolean {
  const unsent = state.unsent.findLast(({ type, data }) => type === "note" && data.tag === ROLE_TAG);
  if (unsent !== undefined) return (unsent.data as { text: string }).text === text;
  const isOfRole = (block: ContentBlock) => String(block.text).startsWith(`<${ROLE_TAG}>\n`);
  const entry = state.entries.findLast(({ role, blocks }) => role === "user" && blocks.some(isOfRole));
  // Another agent has spoken since an earlier note.
  if (entry === undefined || entry.seq < (state.handedTo?.seq ?? 0)) return false;
  const note = { type: "note", seq: entry.seq, data: { text, tag: ROLE_TAG } } as StoredEvent;
  const [wanted] = userEntry(note, ownTagsAt(state, entry.seq)).blocks;
  return wanted?.text === entry.blocks[0]?.text;
}
