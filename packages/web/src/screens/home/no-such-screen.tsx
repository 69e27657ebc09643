import Compass from "lucide-react/icons/compass";
import { LinkButton } from "../../kit/button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty } from "../../kit/states.tsx";

export default function NoSuchScreen() {
  return (
    <Screen title="Not found">
      <Empty
        icon={Compass}
        title="This page does not exist"
        action={<LinkButton href="/">Go home</LinkButton>}
      >
        Check the address, or go back home.
      </Empty>
    </Screen>
  );
}
