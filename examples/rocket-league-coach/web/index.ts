import "./styles/cards.css";
import "./styles/charts.css";
import "./styles/boost-map.css";
import "./styles/tables.css";
import "./styles/budget.css";

export { BudgetMeter, type BudgetMeterProps } from "./budget/budget-meter.tsx";
export {
  type Budget,
  type BudgetState,
  budgetFrom,
  type ReadBudget,
  useBudget,
} from "./budget/use-budget.ts";
export { type RocketLeagueFace, rocketLeagueFace } from "./face/rocket-league-face.tsx";
