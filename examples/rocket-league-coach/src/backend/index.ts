export { type Authenticate, bearerOf } from "./callers.ts";
export { BACKEND_PATH, type CoachBackendOptions, coachBackend } from "./coach-backend.ts";
export type { TokenBudget } from "./parts.ts";
