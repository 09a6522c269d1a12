"""MSE, PSNR and SSIM agree with scikit-image and with their formulas."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from skimage import metrics

from sudokucrypt.analysis import mse, psnr, ssim
from tests.analysis.metrics.chance import moved, noise
from tests.analysis.pictures import NAMES, channel, picture


@pytest.mark.parametrize("name", NAMES[:2])
def test_errors_are_those_of_scikit_image(name: str) -> None:
    """MSE and PSNR of a picture and its scrambled form agree with scikit-image's."""
    image = picture(name)[:100]
    other = moved(image)
    assert mse(image, other) == pytest.approx(metrics.mean_squared_error(image, other), rel=1e-12)
    peak: Any = metrics.peak_signal_noise_ratio
    assert psnr(image, other) == pytest.approx(peak(image, other), abs=1e-9)
    assert (mse(image, image), psnr(image, image)) == (0.0, math.inf)


@pytest.mark.parametrize("name", NAMES[:2])
def test_similarity_follows_its_formula(name: str) -> None:
    """SSIM of a picture and a shifted, noisy form of it is that of the article's formula."""
    image = channel(name)
    dim = np.clip(image * 0.8 + noise(image.shape, "uint8", seed=1) * 0.1, 0, 255)
    other = dim.astype(np.uint8)
    x, y = image.astype(float), other.astype(float)

    def local(values: Any) -> Any:
        # 3.4 deviations of 1.5 reach 5 pixels each way: the window of 11.
        return gaussian_filter(values, 1.5, truncate=3.4)[5:-5, 5:-5]

    mean_x, mean_y = local(x), local(y)
    variances = local(x * x) - mean_x**2 + local(y * y) - mean_y**2
    covariance = local(x * y) - mean_x * mean_y
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    similarity = ((2 * mean_x * mean_y + c1) * (2 * covariance + c2)) / (
        (mean_x**2 + mean_y**2 + c1) * (variances + c2)
    )
    assert ssim(image, other) == pytest.approx(similarity.mean(), abs=1e-6)
    pair = np.dstack([image, other]), np.dstack([other, other])  # the mean over both channels
    assert ssim(*pair) == pytest.approx((ssim(image, other) + 1) / 2, abs=1e-12)
