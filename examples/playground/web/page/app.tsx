import { lazy, Suspense, use, useDeferredValue, useEffect } from "react";
import { faceOf } from "../agents/faces.ts";
import { FaceContext } from "../face/face.ts";
import { FLEET, useAgentName } from "../hooks/use-address.ts";
import { useJson } from "../hooks/use-json.ts";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { Boundary } from "../shell/boundary.tsx";
import type { Info } from "../shell/top-bar.tsx";
import { Wheel } from "../shell/wheel.tsx";
import { AgentPage } from "./agent-page.tsx";

const FleetPage = lazy(async () => ({ default: (await import("../fleet/fleet-page.tsx")).FleetPage }));

/**
 * Shows the page of the agent in the address. Each agent has its own page, so that no state passes from one
 * to another.
 */
export function App() {
  const { data: info } = useJson<Info>("/api/info");
  // Shows the old agent's page until the new one is loaded.
  const name = useDeferredValue(useAgentName());
  return (
    <Boundary of={name}>
      <Suspense fallback={<Coming />}>
        {name === FLEET ? <FleetPage info={info} /> : <Faced name={name} info={info} />}
      </Suspense>
    </Boundary>
  );
}

function Faced({ name, info }: { name: string; info: Info | undefined }) {
  const face = use(faceOf(name));
  // Preloads the Markdown renderer. An error is ignored here; the component that needs the renderer reports
  // it.
  useEffect(() => void loadMarkdown().catch(() => undefined), []);
  return (
    <FaceContext value={face}>
      <AgentPage key={face.name} info={info} />
    </FaceContext>
  );
}

function Coming() {
  return (
    <p className="coming" role="status">
      <Wheel turning />
      <span className="unseen">Loading…</span>
    </p>
  );
}
