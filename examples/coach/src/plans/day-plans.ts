/** The plan of a day as a database row. It exists beside the plan's file, so that plans can be queried. */
export interface DayPlan {
  /** `YYYY-MM-DD`. */
  day: string;
  /** The user's intention for the day. */
  intention?: string;
  /** The priorities, the first one first. */
  priorities: readonly string[];
  /** The path of the file with the whole plan. */
  path: string;
}

/** Stores one plan per user and day. A second plan for a day replaces the first. */
export interface DayPlans {
  save(userId: string, plan: DayPlan): Promise<void>;
  get(userId: string, day: string): Promise<DayPlan | undefined>;
}

/** Creates a store of day plans in memory, for tests. */
export function memoryDayPlans(): DayPlans {
  const kept = new Map<string, DayPlan>();
  const key = (userId: string, day: string): string => JSON.stringify([userId, day]);
  return {
    save: async (userId, plan) => void kept.set(key(userId, plan.day), plan),
    get: async (userId, day) => kept.get(key(userId, day)),
  };
}

const MOST = 10;

/** Derives priorities from the text of a plan: its tasks, or if it has none, the items of its lists. */
export function prioritiesIn(content: string): string[] {
  const items = [...content.matchAll(/^ {0,3}[-*+] (\[[ xX]\] )?(\S.*)$/gm)];
  const tasks = items.filter(([, box]) => box !== undefined);
  return (tasks.length > 0 ? tasks : items)
    .slice(0, MOST)
    .map(([, , text = ""]) => text.replace(/[*_`]/g, "").trim().slice(0, 300).toWellFormed());
}
