export { answersAreComplete, isLost, type UiMessages, type UiPart } from "./ai-sdk/ui-messages.ts";
