/** The name of the tool by which a model gives its run's output if it has no output formats. */
export const FINAL_ANSWER = "final_answer";
