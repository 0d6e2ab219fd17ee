import type { FormInstance } from "antd";
import { useEffect, useState } from "react";
import type { Advised, Pool } from "@/shared/api/types";
import { formOfDevices } from "../model/devices";
import type { CommonForm } from "../model/draft";

/**
 * Puts advice into the form: first its pool, whose fields begin with their usual amounts, and the
 * amounts as soon as these fields are there.
 */
export function useTaken<Values extends CommonForm>(form: FormInstance<Values>, pool: Pool) {
  const [taken, setTaken] = useState<Advised | null>(null);
  useEffect(() => {
    if (taken?.pool.name !== pool.name) return;
    form.setFieldsValue(formOfDevices(taken) as Parameters<typeof form.setFieldsValue>[0]);
    setTaken(null);
  }, [form, pool.name, taken]);
  return (advised: Advised) => {
    form.setFieldsValue({ pool: advised.pool.name } as Parameters<typeof form.setFieldsValue>[0]);
    setTaken(advised);
  };
}
