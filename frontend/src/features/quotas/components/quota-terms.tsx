import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { OpenedActions } from "@/shared/ui/opened-actions";
import { QUOTA_TERMS, type QuotaTerm } from "../model/terms";
import styles from "./quota-terms.module.css";

interface QuotaTermsProps {
  label: string;
  /** The question mark that was pressed. */
  target: Element;
  term?: QuotaTerm;
}

/** What guarantee, deserved, ceiling, borrowed and weight mean, and where it is said at length. */
export function QuotaTerms({ label, target, term }: QuotaTermsProps) {
  const { t } = useTranslation("quotas");
  const terms = term ? [term] : QUOTA_TERMS;
  return (
    <OpenedActions label={label} target={target}>
      <dl className={styles.terms}>
        {terms.map((each) => (
          <Fragment key={each}>
            <dt>{each === "weight" ? t("weight") : t(`limit.${each}`)}</dt>
            <dd>{each === "weight" ? t("weightAbout") : t(`limitAbout.${each}`)}</dd>
          </Fragment>
        ))}
      </dl>
      <Link to="/help/$" params={{ _splat: "users/quotas" }}>
        {t("guide")}
      </Link>
    </OpenedActions>
  );
}
