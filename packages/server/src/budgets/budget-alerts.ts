/** An alert is raised once per budget, share and period: in the log and the audit log. */
import { amountText } from "@capstan/core/internal";
import type { AuditLog, BudgetAlert } from "@capstan/runtime";
import type { Log } from "../settings/log.ts";

export interface AlertParts {
  readonly audit: AuditLog;
  readonly log: Pick<Log, "info">;
  readonly onError: (error: unknown, what: string) => void;
}

export const budgetAlerts =
  ({ audit, log, onError }: AlertParts) =>
  ({ budget, subject, percent, spent }: BudgetAlert): void => {
    const { id, name, measure, limit, period } = budget;
    const used = `${amountText(measure, spent)} of ${amountText(measure, limit)}`;
    log.info(`budget "${name}"${subject && ` of ${subject}`}: ${used} used this ${period} (${percent} %)`);
    audit
      .add({
        actor: "capstan",
        action: "budget.alert",
        subject: id,
        details: { name, for: subject, percent, spent, limit, measure },
      })
      .catch((error: unknown) => onError(error, "audit"));
  };
