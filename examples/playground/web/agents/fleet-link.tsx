import { FLEET, hashOf, useAgentName } from "../hooks/use-address.ts";

/** Links to the page that shows a fleet of workers. */
export function FleetLink({ onPick }: { onPick: () => void }) {
  const isHere = useAgentName() === FLEET;
  return (
    <nav className="fleet-link" aria-label="Operations">
      <a
        href={hashOf({ agent: FLEET })}
        aria-current={isHere ? "page" : undefined}
        data-testid="fleet-link"
        onClick={onPick}
      >
        Fleet
        <span>Kill a worker, lose nothing</span>
      </a>
    </nav>
  );
}
