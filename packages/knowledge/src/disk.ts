// The entry `@pawl/knowledge/disk`, apart from the others because it needs Node's file system.
export { loadSkills } from "./skills/load-skills.ts";
