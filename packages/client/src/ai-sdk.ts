// The entry `@pawl/client/ai-sdk`: for pages with `useChat` of the AI SDK, over the dialect `aiSdk()`.

// What a page shows, and when it sends answers

export { answersAreComplete, isLost, type UiMessages, type UiPart } from "./ai-sdk/ui-messages.ts";

// Stops a run on the server

export { type StoppableChat, type StopRunOptions, stopRun } from "./ai-sdk/stop-run.ts";

// Types of the agent's messages

export type { UIDataOf, UIMetadata, UIToolsOf, UIToolTypes } from "./ai-sdk/ui-types.ts";
