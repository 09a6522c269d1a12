# For a tap of one's own: what it needs comes as wheels, which the main repository does not allow.
# tests/release.py fills in @VERSION@, @URL@ and @SHA256@.
class Sudokucrypt < Formula
  include Language::Python::Virtualenv

  desc "Encrypt and scramble images with keyed Sudoku bijections, and restore them exactly"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license all_of: ["MIT", "CC-BY-3.0", "Apache-2.0"]

  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13")
    system "python3.13", "-m", "pip", "--python=#{libexec}/bin/python", "install", buildpath
    bin.install_symlink libexec/"bin/sudokucrypt"
    man1.install "docs/sudokucrypt.1"
    bash_completion.install "docs/completion/sudokucrypt"
    fish_completion.install "docs/completion/sudokucrypt.fish"
    zsh_completion.install "docs/completion/_sudokucrypt"
  end

  test do
    system bin/"sudokucrypt", "demo"
  end
end
