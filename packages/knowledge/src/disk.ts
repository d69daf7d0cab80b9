// The entry `@pawl/knowledge/disk`: loads skills from a folder. It is an entry of its own because it imports
// Node's file system, which browsers lack.
export { loadSkills } from "./skills/load-skills.ts";
