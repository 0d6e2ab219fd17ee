import { Button, message, notification } from "antd";
import { useEffect, useRef } from "react";
import type { Message, Offer } from "./messages";

/** Long enough to read an offer and to take it. */
const OFFERED_S = 10;

/** Shows each message once, for a few seconds; what can be done about it, a little longer. */
export function MessageStack({ messages }: { messages: readonly Message[] }) {
  const [shown, holder] = message.useMessage();
  const [offers, offered] = notification.useNotification();
  const newest = useRef(0);
  useEffect(() => {
    const show = ({ id, kind, text, offer }: Message) => {
      if (!offer) return void shown[kind](text);
      const close = () => offers.destroy(id);
      offers.open({
        key: id,
        title: text,
        description: offer.about,
        duration: OFFERED_S,
        placement: "bottomRight",
        actions: <OfferButton offer={offer} onClose={close} />,
      });
    };
    for (const each of messages) {
      if (each.id > newest.current) show(each);
      newest.current = Math.max(newest.current, each.id);
    }
  }, [messages, shown, offers]);
  return (
    <>
      {holder}
      {offered}
    </>
  );
}

function OfferButton({ offer, onClose }: { offer: Offer; onClose: () => void }) {
  const take = () => {
    onClose();
    offer.act();
  };
  return (
    <Button type="primary" size="small" onClick={take}>
      {offer.label}
    </Button>
  );
}
