/** What somebody means to do on a day: the row beside the file, for those who count and compare. */
export interface DayPlan {
  /** `YYYY-MM-DD`. */
  day: string;
  intention?: string;
  /** In their order. */
  priorities: readonly string[];
  /** Where the whole of it is. */
  path: string;
}

/** Where day plans are kept: one a day for each user, and the last one holds. */
export interface DayPlans {
  save(userId: string, plan: DayPlan): Promise<void>;
  get(userId: string, day: string): Promise<DayPlan | undefined>;
}

/** Day plans in memory, for tests. */
export function memoryDayPlans(): DayPlans {
  const kept = new Map<string, DayPlan>();
  const key = (userId: string, day: string): string => JSON.stringify([userId, day]);
  return {
    save: async (userId, plan) => void kept.set(key(userId, plan.day), plan),
    get: async (userId, day) => kept.get(key(userId, day)),
  };
}

const MOST = 10;

/** The priorities of a plan that does not name them: its tasks, or else the items of its lists. */
export function prioritiesIn(content: string): string[] {
  const items = [...content.matchAll(/^ {0,3}[-*+] (\[[ xX]\] )?(\S.*)$/gm)];
  const tasks = items.filter(([, box]) => box !== undefined);
  return (tasks.length > 0 ? tasks : items)
    .slice(0, MOST)
    .map(([, , text = ""]) => text.replace(/[*_`]/g, "").trim().slice(0, 300).toWellFormed());
}
