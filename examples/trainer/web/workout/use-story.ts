import type { ViewMessage } from "@pawl/core/view";
import { useRef } from "react";
import { type Story, storyOf } from "./story.ts";

/**
 * Returns the story of the shown messages. The object stays the same until a call or a user's message changes
 * it.
 */
export function useStory(messages: readonly ViewMessage[]): Story {
  const known = useRef<{ of: readonly unknown[]; story: Story }>(undefined);
  const of = messages.flatMap((message): unknown[] =>
    message.role === "user" ? [message.id] : message.parts.filter(({ type }) => type === "tool"),
  );
  const before = known.current;
  const isSame = before?.of.length === of.length && of.every((one, at) => one === before.of[at]);
  if (before === undefined || !isSame) known.current = { of, story: storyOf(messages) };
  return (known.current as { story: Story }).story;
}
