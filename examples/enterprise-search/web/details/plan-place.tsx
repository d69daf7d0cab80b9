import type { AroundProps, ToolPartProps } from "../base/seam.ts";
import { Answered } from "../clarify/answered.tsx";
import { PlanCard } from "../plan/plan-card.tsx";
import { useSearching } from "../state/searching.ts";

/** The plan above an answer, unless the answer begins with a question. */
export function PlanBefore({ message, live }: AroundProps) {
  const { planAfter } = useSearching();
  if (message !== undefined && planAfter.has(message.id)) return null;
  return <PlanCard messageId={message?.id} live={live} tells={message === undefined} />;
}

/** A question that is closed. The plan that was made of its answer comes after it. */
export function AnsweredWithPlan({ part, live }: ToolPartProps) {
  const { planAfter } = useSearching();
  const messageId = [...planAfter].find(([, callId]) => callId === part.callId)?.[0];
  return (
    <>
      <Answered part={part} live={live} />
      {messageId !== undefined && <PlanCard messageId={messageId} live={live} tells />}
    </>
  );
}
