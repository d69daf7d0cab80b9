import { useEffect, useRef, useState } from "react";
import type { CustomAgent } from "../base/agents.ts";
import type { Person } from "../base/server.ts";
import { useSearching } from "../state/searching.ts";
import { AgentForm } from "./agent-form.tsx";
import { AgentList } from "./agent-list.tsx";
import { useAgents } from "./use-agents.ts";

interface Props {
  person: Person;
  people: readonly Person[];
  isShown: boolean;
}

/** The list of agents, or the form of one. */
export function AgentsView({ person, people, isShown }: Props) {
  const { server } = useSearching();
  const { list, failed, read } = useAgents(server, isShown);
  const [edited, setEdited] = useState<CustomAgent | "new">();
  const [said, setSaid] = useState("");
  const view = useRef<HTMLDivElement>(null);
  const focusNext = useRef<string>(undefined);
  // The focused element is gone with the form or the deleted agent.
  useEffect(() => {
    const id = focusNext.current;
    if (id === undefined) return;
    focusNext.current = undefined;
    const row = view.current?.querySelector<HTMLElement>(`[data-agent="${CSS.escape(id)}"] button`);
    (row ?? view.current?.querySelector<HTMLElement>(".es-button"))?.focus();
  });
  const back = (id: string, words: string) => {
    focusNext.current = id;
    setSaid(words);
    setEdited(undefined);
  };
  const onSaved = async (id: string, name: string) => {
    await read();
    back(id, `“${name}” is saved.`);
  };
  const onDelete = async ({ id, name }: CustomAgent) => {
    await server.removeAgent(id);
    await read();
    back("", `“${name}” is deleted.`);
  };
  return (
    <div ref={view} className="es-agents-view">
      <p className={said === "" ? "unseen" : "es-agents-said"} role="status" data-testid="es-agents-said">
        {said}
      </p>
      {edited === undefined ? (
        <AgentList
          {...{ list, failed, person, people, onDelete }}
          onRead={() => void read()}
          onEdit={(agent) => {
            setSaid("");
            setEdited(agent);
          }}
        />
      ) : (
        <AgentForm
          agent={edited === "new" ? undefined : edited}
          {...{ server, person, people, onSaved }}
          onCancel={() => back(edited === "new" ? "" : edited.id, "")}
        />
      )}
    </div>
  );
}
