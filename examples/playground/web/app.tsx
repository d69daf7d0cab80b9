import { AgentPage } from "./agent-page.tsx";
import { FaceContext } from "./agents/face.ts";
import { FACES } from "./agents/faces.ts";
import { useAgentName } from "./hooks/use-address.ts";
import { useJson } from "./hooks/use-json.ts";
import type { Info } from "./shell/top-bar.tsx";

/** The page of the agent that the address names. Each has its own: nothing of one conversation is left in another's. */
export function App() {
  const { data: info } = useJson<Info>("/api/info");
  const name = useAgentName();
  const face = FACES.find((known) => known.name === name) ?? FACES[0];
  return (
    <FaceContext value={face}>
      <AgentPage key={face.name} info={info} />
    </FaceContext>
  );
}
