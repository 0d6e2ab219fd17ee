"""Models of the optional set `forecast`: MSTL with AutoETS, and gradient boosting; CPU only.

Without the packages `trained_models` is empty and the seasonal models do all the work.
"""

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any, Final

from scheduler.forecast.seasonal import DAY, WEEK, PointModel, season_of

FIRST: Final = "2001-01-01"
"""A Monday; only hours and weekdays count."""


def trained_models() -> dict[str, PointModel]:
    """Return the models whose packages are there, by name."""
    models: dict[str, PointModel] = {}
    if _there("statsforecast"):
        models["mstl"] = mstl
    if _there("mlforecast") and _there("lightgbm"):
        models["boosting"] = boosting
    return models


def mstl(past: Sequence[int], ahead: int) -> list[int]:
    """Daily and weekly seasons taken off, what is left smoothed exponentially."""
    models = importlib.import_module("statsforecast.models")
    core = importlib.import_module("statsforecast")
    seasons = [DAY, WEEK] if season_of(past) == WEEK else [DAY]
    model = models.MSTL(season_length=seasons, trend_forecaster=models.AutoETS(model="ZZN"))
    fitted = core.StatsForecast(models=[model], freq="h", n_jobs=1)
    return _whole(fitted.forecast(df=_frame(past), h=ahead)["MSTL"])


def boosting(past: Sequence[int], ahead: int) -> list[int]:
    """Trees over the last hours, the same hours of days before, and the hour and weekday."""
    lightgbm = importlib.import_module("lightgbm")
    core = importlib.import_module("mlforecast")
    lags = [lag for lag in (1, 2, 3, DAY, 2 * DAY, WEEK) if lag * 2 <= len(past)]
    model = lightgbm.LGBMRegressor(
        n_estimators=80, num_leaves=15, min_child_samples=5, verbosity=-1, n_jobs=1, random_state=0
    )
    trained = core.MLForecast(
        models={"boosting": model}, freq="h", lags=lags, date_features=["hour", "dayofweek"]
    )
    trained.fit(_frame(past))
    return _whole(trained.predict(ahead)["boosting"])


def _there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _frame(past: Sequence[int]) -> Any:
    pandas = importlib.import_module("pandas")
    hours = pandas.date_range(FIRST, periods=len(past), freq="h")
    return pandas.DataFrame({"unique_id": "demand", "ds": hours, "y": [float(n) for n in past]})


def _whole(values: Any) -> list[int]:
    return [max(0, round(float(value))) for value in values]
