export { fork } from "../at-rest/fork.ts";
export { redact } from "../at-rest/redact.ts";
export { startContextAt } from "../at-rest/start-context.ts";
export { viewOf } from "../at-rest/view-of.ts";
export { beginRetry } from "../begin/begin-retry.ts";
export { delegateCall } from "../tasks/delegate.ts";
export { openTasks } from "../tasks/open-tasks.ts";
