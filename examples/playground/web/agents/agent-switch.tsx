import { hashOf, useAgentName } from "../hooks/use-address.ts";
import type { Info } from "../shell/top-bar.tsx";
import { shownOf } from "./faces.ts";

/** Links to the served agents. Each agent has its own address, so the back button works. */
export function AgentSwitch({ served = [], onPick }: { served: Info["agents"]; onPick: () => void }) {
  // Marks the new agent as soon as it is clicked, while its page is loading.
  const current = useAgentName();
  const shown = shownOf(served);
  if (shown.every(({ name }) => name === current)) return null;
  return (
    <nav className="agents" aria-label="Agents">
      {shown.map(({ name, title }) => (
        <a
          key={name}
          href={hashOf({ agent: name })}
          aria-current={name === current ? "page" : undefined}
          data-testid={`agent-${name}`}
          onClick={onPick}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
