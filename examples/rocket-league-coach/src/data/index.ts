export {
  type ChatSession,
  claimPreview,
  closeTurn,
  hasPreview,
  messagesOf,
  type NewTurn,
  openTurn,
  openTurns,
  ownerOf,
  returnPreview,
  type StoredMessage,
  sessionsOfUser,
  type Turn,
  turnOf,
} from "./chats.ts";
export {
  type CoachData,
  type CoachDataOptions,
  type CoachDeps,
  coachData,
  type MatchQuery,
} from "./coach-data.ts";
export type { NewNote } from "./notes.ts";
export { drawLife, LIFE_DAYS, type LifeOptions } from "./sample/life.ts";
export type { Line, Replay, Sample } from "./sample/line.ts";
export { drawPool, MIN_PLAYERS, MORE_PLAYERS, REPLAYS_EACH } from "./sample/pool.ts";
