/** The name of the tool that runs a custom agent. */
export const RUN_AGENT = "run_custom_agent";
