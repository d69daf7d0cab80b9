import { Suspense, use, useDeferredValue, useEffect } from "react";
import { faceOf } from "../agents/faces.ts";
import { FaceContext } from "../face/face.ts";
import { useAgentName } from "../hooks/use-address.ts";
import { useJson } from "../hooks/use-json.ts";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { Boundary } from "../shell/boundary.tsx";
import type { Info } from "../shell/top-bar.tsx";
import { Wheel } from "../shell/wheel.tsx";
import { AgentPage } from "./agent-page.tsx";

/**
 * The page of the agent that the address names. Each has its own: nothing of one conversation is left in
 * another's.
 */
export function App() {
  const { data: info } = useJson<Info>("/api/info");
  // Whoever goes to another agent has the page of this one before them until that one is there.
  const name = useDeferredValue(useAgentName());
  return (
    <Boundary of={name}>
      <Suspense fallback={<Coming />}>
        <Faced name={name} info={info} />
      </Suspense>
    </Boundary>
  );
}

function Faced({ name, info }: { name: string; info: Info | undefined }) {
  const face = use(faceOf(name));
  // Behind what is shown first. Whoever needs it and cannot have it says so.
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
