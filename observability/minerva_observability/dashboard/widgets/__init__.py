"""What pages are made of: tables, charts, trees and words."""
