/** Where something is to be kept: a pool with all of its nodes, or single nodes. */
import { Button, Flex, Form, Select } from "antd";
import { useState } from "react";
import type { GroupRef } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";

interface NodeChoiceProps {
  /** What is done there. */
  action: string;
  about: string;
  /** All of whose pools may be chosen. */
  nodes: readonly { pool: GroupRef }[];
  /** Those that may be chosen one by one. */
  lacking: readonly { id: string; name: string }[];
  isPending: boolean;
  /** Is told when the choice may be forgotten. */
  onChoose: (where: { pool: string } | { nodes: string[] }, onDone: () => void) => void;
}

export function NodeChoice({ nodes, lacking, ...props }: NodeChoiceProps) {
  const { t } = useTranslation("cluster");
  const language = useLanguage();
  const [chosen, setChosen] = useState<string[]>([]);
  const pools = [...new Map(nodes.map(({ pool }) => [pool.id, pool])).values()];
  const isPool = (id: string | undefined) => pools.some((one) => one.id === id);
  const pool = chosen.find(isPool);
  const order = () => props.onChoose(pool ? { pool } : { nodes: chosen }, () => setChosen([]));
  return (
    <Form layout="vertical" onFinish={order}>
      <p className="quiet">{props.about}</p>
      <Flex gap={8} wrap align="center">
        <Select
          mode="multiple"
          aria-label={t("where")}
          placeholder={t("where")}
          value={chosen}
          onChange={(ids: string[]) =>
            // A pool is chosen alone: all of its nodes are meant.
            setChosen(isPool(ids.at(-1)) ? ids.slice(-1) : ids.filter((id) => !isPool(id)))
          }
          style={{ flex: 1, minWidth: 240 }}
          options={[
            ...pools.map((one) => ({
              value: one.id,
              label: t("wholePool", { pool: titleOf(one, language) }),
            })),
            ...lacking.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <Button
          type="primary"
          htmlType="submit"
          disabled={chosen.length === 0}
          loading={props.isPending}
        >
          {props.action}
        </Button>
      </Flex>
    </Form>
  );
}
