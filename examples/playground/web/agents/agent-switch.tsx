import { hashOf, useAgentName } from "../hooks/use-address.ts";
import type { Info } from "../shell/top-bar.tsx";
import { shownOf } from "./faces.ts";

/** The agents that are served. They are links: each has an address, and the back button leads back. */
export function AgentSwitch({ served = [], onPick }: { served: Info["agents"]; onPick: () => void }) {
  // It says where somebody goes while that is still to come.
  const current = useAgentName();
  const shown = shownOf(served);
  if (shown.length < 2) return null;
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
