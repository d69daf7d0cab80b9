import { hashOf } from "../hooks/use-address.ts";
import { useFace } from "./face.ts";
import { FACES } from "./faces.ts";

/** The agents that are served. They are links: each has an address, and the back button leads back. */
export function AgentSwitch({ served, onPick }: { served: readonly string[]; onPick: () => void }) {
  const { name: current } = useFace();
  const faces = FACES.filter(({ name }) => served.includes(name));
  if (faces.length < 2) return null;
  return (
    <nav className="agents" aria-label="Agents">
      {faces.map(({ name, title }) => (
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
