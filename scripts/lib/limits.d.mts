export const LIMITS: {
  readonly useAgent: number;
  readonly createAspClient: number;
  readonly useAsp: number;
  readonly core: number;
  readonly mainDoorNames: number;
  readonly modulesAtImport: number;
  readonly toolInAgent: number;
  readonly toolOnPage: number;
  readonly callsBeforeModel: number;
  readonly callsOfToolTurn: number;
  readonly callsOfLastTurn: number;
  readonly roundTripsBeforeModel: number;
  readonly coachPrompt: number;
  readonly coachSkill: number;
};
