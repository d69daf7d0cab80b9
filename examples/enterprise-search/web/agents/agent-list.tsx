import { useState } from "react";
import type { CustomAgent } from "../base/agents.ts";
import type { Person } from "../base/server.ts";
import { sourceName } from "../base/sources.ts";
import { counted, listed } from "../base/words.ts";

interface Props {
  list: readonly CustomAgent[] | undefined;
  failed: boolean;
  person: Person;
  people: readonly Person[];
  onRead(): void;
  onEdit(agent: CustomAgent | "new"): void;
  /** Rejects if the agent could not be deleted. */
  onDelete(agent: CustomAgent): Promise<void>;
}

/** The person's own agents, those that others share, and those that everybody has. */
export function AgentList({ list, failed, person, people, onRead, onEdit, onDelete }: Props) {
  const groupOf = ({ owner }: CustomAgent) =>
    owner === person.email ? "Yours" : owner === "" ? "For everybody" : "Shared with you";
  const groups = Map.groupBy(list ?? [], groupOf);
  return (
    <>
      <p className="es-soft">
        An agent follows instructions that somebody has written, and sees what you may see. To ask one, write
        its name in your message, e.g. “Finance briefing: how much is the Q4 forecast?”
      </p>
      <button type="button" className="es-button" onClick={() => onEdit("new")} data-testid="es-agent-new">
        New agent
      </button>
      {failed && (
        <p role="alert" className="es-agents-failed">
          The agents could not be read.{" "}
          <button type="button" className="es-more" onClick={onRead}>
            Try again
          </button>
        </p>
      )}
      {list === undefined && !failed && <p className="es-soft">Reading the agents…</p>}
      {(["Yours", "Shared with you", "For everybody"] as const).map((group) => {
        const agents = groups.get(group) ?? [];
        if (agents.length === 0) return null;
        return (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <ul>
              {agents.map((agent) => (
                <li key={agent.id} data-agent={agent.id} data-testid="es-agent">
                  <AgentRow {...{ agent, person, people, onEdit, onDelete }} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

type RowProps = Pick<Props, "person" | "people" | "onEdit" | "onDelete"> & { agent: CustomAgent };

function AgentRow({ agent, person, people, onEdit, onDelete }: RowProps) {
  const { name, description, instructions, owner } = agent;
  return (
    <>
      <h4>{name}</h4>
      <p>{description}</p>
      <p className="es-soft es-agent-facts">
        {sourcesOf(agent)} · {sharedWords(agent, person, people)}
      </p>
      {owner === person.email ? (
        <Actions {...{ agent, onEdit, onDelete }} />
      ) : (
        <details>
          <summary>Instructions</summary>
          <p className="es-agent-instructions">{instructions}</p>
        </details>
      )}
    </>
  );
}

function Actions({ agent, onEdit, onDelete }: Pick<RowProps, "agent" | "onEdit" | "onDelete">) {
  // Whether the user is asked to confirm. `undefined` until "Delete" was pressed once: the focus is
  // elsewhere.
  const [asked, setAsked] = useState<boolean>();
  const [state, setState] = useState<"idle" | "deleting" | "failed">("idle");
  const remove = () => {
    setState("deleting");
    onDelete(agent).catch(() => setState("failed"));
  };
  if (asked)
    return (
      <p key="question" className="es-agent-actions">
        <span>Delete “{agent.name}”?</span>
        <button
          type="button"
          className="es-more es-danger"
          // biome-ignore lint/a11y/noAutofocus: it takes the focus of the button that it replaces
          autoFocus
          disabled={state === "deleting"}
          onClick={remove}
        >
          Delete
        </button>
        <button type="button" className="es-more" onClick={() => setAsked(false)}>
          Keep
        </button>
        {state === "failed" && <span role="alert">It could not be deleted. Try again.</span>}
      </p>
    );
  return (
    <p key="actions" className="es-agent-actions">
      <button type="button" className="es-more" onClick={() => onEdit(agent)}>
        Edit<span className="unseen"> {agent.name}</span>
      </button>
      <button
        type="button"
        className="es-more"
        // biome-ignore lint/a11y/noAutofocus: it takes the focus back after the question
        autoFocus={asked === false}
        onClick={() => setAsked(true)}
      >
        Delete<span className="unseen"> {agent.name}</span>
      </button>
    </p>
  );
}

function sourcesOf({ sources }: CustomAgent): string {
  return sources === undefined ? "All sources" : listed(sources.map(sourceName));
}

/** Who shares the agent with the person, or with whom the person shares it. */
function sharedWords({ owner, sharedWith }: CustomAgent, person: Person, people: readonly Person[]): string {
  const nameOf = (email: string) => people.find((one) => one.email === email)?.name ?? email;
  if (sharedWith === "everyone") return "Public";
  if (owner !== person.email) return `By ${nameOf(owner)}`;
  if (sharedWith === "workspace") return "Shared with your workspace";
  if (sharedWith.length === 0) return "Only you";
  if (sharedWith.length > 3) return `Shared with ${counted(sharedWith.length, "person", "people")}`;
  return `Shared with ${listed(sharedWith.map(nameOf))}`;
}
