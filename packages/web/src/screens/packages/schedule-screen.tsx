import { Screen } from "../../kit/screen.tsx";
import { Schedules } from "./schedules.tsx";

export default function ScheduleScreen() {
  return (
    <Screen title="Schedules" lead="Capabilities that run on a schedule.">
      <Schedules />
    </Screen>
  );
}
